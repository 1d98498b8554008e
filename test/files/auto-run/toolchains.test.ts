import { expect, it } from 'vitest';
import { autoRunFiles } from '../../../src/files/guard/auto-run-files.ts';

it.each(['mise/config.toml', 'mise/config.local.toml', 'mise/conf.d/a.toml', '.mise.toml', 'mise.toml', '.tool-versions'])(
  '%s chooses programs that run next, and is kept from agents',
  (file) => expect(autoRunFiles.placeIn(file)?.group).toBe('environments'),
);

it('config.toml elsewhere is a file like any other', () => expect(autoRunFiles.placeIn('app/config.toml')).toBeUndefined());
