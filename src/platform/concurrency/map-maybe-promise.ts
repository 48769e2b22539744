/**
 * Calls `then` at once with a value, or when a promised value resolves. It is for paths where a promise for each
 * request would cost more than the work on the value.
 */
export function mapMaybePromise<T, R>(value: T | Promise<T>, then: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(then) : then(value);
}
