// Pure cache: keyed by an object; what it holds are views of that object.
const views = new WeakMap<object, object>();

/**
 * A view of live data for whoever may look at it and must not change it: tools, functions and observers written by others (FAULTS
 * X6). Reading costs what is read; a write anywhere below throws a TypeError, so that it is noticed, and changes nothing.
 * What is frozen is handed out as it is.
 */
export function readOnlyView<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const known = views.get(value);
  if (known !== undefined) return known as T;
  const view: object = value instanceof Map ? new Proxy(value, mapHandler) : new Proxy(value, objectHandler);
  views.set(value, view);
  return view as T;
}

function refuse(): never {
  throw new TypeError(
    "this is a view of the run's state and cannot be changed; return items or a result, or use update_state in the profile",
  );
}

const refusals = {
  set: refuse,
  defineProperty: refuse,
  deleteProperty: refuse,
  setPrototypeOf: refuse,
  preventExtensions: refuse,
} as const;

const objectHandler: ProxyHandler<object> = {
  ...refusals,
  get: (target, key) => readOnlyView<unknown>(Reflect.get(target, key)),
  getOwnPropertyDescriptor: (target, key) => {
    const descriptor = Reflect.getOwnPropertyDescriptor(target, key);
    return descriptor === undefined || !('value' in descriptor)
      ? descriptor
      : { ...descriptor, value: readOnlyView<unknown>(descriptor.value) };
  },
};

/** The methods of a map work on the map alone, so each is made anew for its view. */
const mapHandler: ProxyHandler<Map<unknown, unknown>> = {
  ...refusals,
  get: (target, key) => {
    switch (key) {
      case 'size':
        return target.size;
      case 'get':
        return (name: unknown) => readOnlyView(target.get(name));
      case 'has':
        return (name: unknown) => target.has(name);
      case 'keys':
        return () => target.keys();
      case 'values':
        return () => target.values().map((value) => readOnlyView(value));
      case 'entries':
      case Symbol.iterator:
        return () => target.entries().map(([name, value]) => [name, readOnlyView(value)]);
      case 'forEach':
        return (callback: (value: unknown, name: unknown) => void) =>
          target.forEach((value, name) => callback(readOnlyView(value), name));
      case 'set':
      case 'delete':
      case 'clear':
        return refuse;
      default:
        return Reflect.get(target, key, target);
    }
  },
};
