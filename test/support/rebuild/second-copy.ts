import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const importNatively = createRequire(import.meta.url)('./native-import.cjs') as (url: string) => Promise<unknown>;

let copies = 0;

// Whatever a module of a copy imports belongs to the same copy; packages are shared.
registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    const copy = /\?copy=\d+$/.exec(context.parentURL ?? '')?.[0];
    const isOurs = resolved.url.startsWith('file:') && !resolved.url.includes('/node_modules/') && !resolved.url.includes('?');
    return copy === undefined || !isOurs ? resolved : { ...resolved, url: resolved.url + copy };
  },
});

/**
 * Loads a file of this project a second time, with everything of the project that it imports: modules of their own, as another process
 * would have them, with nothing in any of their maps. Copies are never unloaded; each takes about 10 MB.
 */
export async function secondCopy<Module>(file: string): Promise<Module> {
  copies += 1;
  return (await importNatively(`${pathToFileURL(file).href}?copy=${copies}`)) as Module;
}
