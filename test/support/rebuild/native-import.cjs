'use strict';

/** Imports a module as Node itself does, also where the importing program (vitest) loads modules in its own way. */
module.exports = (url) => import(url);
