/** Type of profiles that exist only to be inherited from; inheriting profiles may supply what they lack. */
export const baseType = 'base';
