import { starterFiles } from '../starter-files.ts';
import type { Template } from './template.ts';

/** Two agents that answer questions from documents. */
export const research: Template = {
  name: 'research',
  description: 'answers questions from a folder of documents, with file and line; a lead and parallel researchers',
  files: starterFiles,
  next: [
    ['run', 'How do I water tomatoes?'],
    ['turns', 'last'],
    ['why', 'last', 'deep watering'],
  ],
};
