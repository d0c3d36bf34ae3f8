import { hyperserve } from './hyperserve.ts';
import type { Preset } from './preset.ts';
import { starter } from './starter.ts';

export const PRESETS: Readonly<Record<string, Preset>> = { starter, hyperserve };
