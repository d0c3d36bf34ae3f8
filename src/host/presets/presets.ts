import { aiur } from './aiur.ts';
import { contract } from './contract.ts';
import { humanity4ai } from './humanity4ai.ts';
import { hyperserve } from './hyperserve.ts';
import { lisp } from './lisp.ts';
import type { Preset } from './preset.ts';
import { starter } from './starter.ts';

export const PRESETS: Readonly<Record<string, Preset>> = { starter, humanity4ai, hyperserve, aiur, lisp, contract };
