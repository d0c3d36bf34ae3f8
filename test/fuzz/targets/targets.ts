import type { Target } from '../target.ts';
import { borders } from './borders.ts';
import { framing } from './framing.ts';
import { httpBodies } from './http-bodies.ts';
import { httpRaw } from './http-raw.ts';
import { openings } from './openings.ts';
import { parsing } from './parsing.ts';
import { schemas } from './schemas.ts';
import { secrets } from './secrets.ts';
import { settings } from './settings.ts';
import { talks } from './talks.ts';
import { words } from './words.ts';

/** Everything that is attacked, parsers first. */
export const TARGETS: readonly Target[] = [
  ...framing,
  ...parsing,
  ...words,
  ...schemas,
  ...secrets,
  ...borders,
  ...settings,
  openings,
  ...talks,
  httpBodies,
  httpRaw,
];
