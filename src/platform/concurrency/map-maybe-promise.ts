/**
 * Calls `then` with a value: at once for a plain value, or when the promise resolves. Use it where a promise for each
 * request would cost more than the work itself.
 */
export function mapMaybePromise<T, R>(value: T | Promise<T>, then: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(then) : then(value);
}
