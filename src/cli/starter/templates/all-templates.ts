import { chat } from './chat.ts';
import { coding } from './coding.ts';
import { data } from './data.ts';
import { empty } from './empty.ts';
import { research } from './research.ts';
import type { Template } from './template.ts';

/** Kinds of projects that `cadre init` writes; the first is the usual one. */
export const templates: readonly [Template, ...Template[]] = [research, chat, coding, data, empty];
