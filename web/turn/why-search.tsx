import type { RefObject } from 'preact';
import { setQuery } from '../routing/router.ts';

/** Search for the source of a text in this turn. */
export function WhySearch({ input, text }: { readonly input: RefObject<HTMLInputElement | null>; readonly text: string }) {
  const submit = (event: Event): void => {
    event.preventDefault();
    setQuery({ why: input.current?.value.trim() ?? '' });
  };
  return (
    <form class="why-search" role="search" onSubmit={submit}>
      <input
        key={text}
        ref={input}
        type="search"
        defaultValue={text}
        placeholder="where did this come from? a few words of the prompt or the reply"
        aria-label="Where did this text come from?"
      />
      <button type="submit">ask</button>
    </form>
  );
}
