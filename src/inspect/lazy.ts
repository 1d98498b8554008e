/** Builds a value on first use and keeps it. */
export function lazy<Value>(build: () => Value): () => Value {
  let built: { readonly value: Value } | undefined;
  return () => (built ??= { value: build() }).value;
}
