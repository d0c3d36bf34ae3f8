import { createPack, type Server } from '../../../catalog/server.ts';
import type { Action } from './action.ts';
import { ageCheck } from './age.ts';
import { cognitiveAudit } from './cognitive.ts';
import { culturalCheck } from './cultural.ts';
import { deescalationPlan } from './deescalation.ts';
import { depressionSensitive } from './depression.ts';
import { empatheticReframe } from './empathetic.ts';
import { griefSupport } from './grief.ts';
import { neurodiversityCheck } from './neurodiversity.ts';
import { supportiveReply } from './supportive.ts';
import { wcagCheck } from './wcag.ts';

/** The ten actions, in the order clients know. */
export const ACTIONS: readonly Action[] = [
  wcagCheck,
  depressionSensitive,
  supportiveReply,
  cognitiveAudit,
  culturalCheck,
  deescalationPlan,
  empatheticReframe,
  griefSupport,
  neurodiversityCheck,
  ageCheck,
];

/** Supportive, non-clinical actions for people and for those who design for them; they touch nothing outside. */
export function createHumanity(): Server {
  const server = createPack({ name: 'humanity', version: '0.1.0' });
  for (const action of ACTIONS) action.addTo(server);
  return server;
}
