import { useEffect, useState } from 'preact/hooks';

/** Whether a media query holds, kept up to date. */
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
