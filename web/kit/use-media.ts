import { useEffect, useState } from 'preact/hooks';

/** Returns true while a media query matches. */
export function useMedia(query: string): boolean {
  const [holds, setHolds] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const tell = (): void => setHolds(list.matches);
    list.addEventListener('change', tell);
    tell();
    return () => list.removeEventListener('change', tell);
  }, [query]);
  return holds;
}
