/** Removes the elements at these places, and keeps the order of the others. */
export function removeAt(list: unknown[], places: number[]): void {
  if (places.length > 1) places.sort((a, b) => a - b);
  let write = places[0] ?? list.length;
  let next = 0;
  for (let read = write; read < list.length; read += 1) {
    if (read === places[next]) next += 1;
    else list[write++] = list[read];
  }
  list.length = write;
}
