/**
 * Goes on at once with a value that is there, and waits for a promised one: for paths where a promise for each request
 * would cost more than what is done with the value.
 */
export function whenThere<T, R>(value: T | Promise<T>, then: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(then) : then(value);
}
