/** A value that is built when it is first asked for, and then kept. */
export function lazy<Value>(build: () => Value): () => Value {
  let built: { readonly value: Value } | undefined;
  return () => (built ??= { value: build() }).value;
}
