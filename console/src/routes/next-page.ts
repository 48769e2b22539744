/** The address in the console to open after the sign-in, or when the second factor is set up. */
interface Next {
  readonly next?: string | undefined;
}

export const nextOf = ({ next }: Record<string, unknown>): Next => ({
  next: typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : undefined,
});
