/** What a sign-in answers with, as far as the client needs it. */
export interface Tokens {
  readonly access_token: string;
  /** Holds once: each refresh answers with the next one. */
  readonly refresh_token: string;
}

/**
 * The tokens of somebody who is signed in. Sign-ins through a client and refreshes put new ones here; when the session has
 * ended there are none.
 */
export class Session {
  private renewal: { readonly of: Tokens; readonly done: Promise<Tokens | null> } | null = null;

  /**
   * @param tokens of a sign-in before
   * @param onChange told of each change, to keep the tokens: the older ones hold no more
   */
  constructor(
    private current: Tokens | null = null,
    private readonly onChange: (tokens: Tokens | null) => void = () => undefined,
  ) {}

  get tokens(): Tokens | null {
    return this.current;
  }

  /** Null: signed out. */
  set(tokens: Tokens | null): void {
    if (tokens === this.tokens) return;
    this.keep(tokens);
    this.onChange(tokens);
  }

  /**
   * The tokens after those that were refused. Whoever asks meanwhile waits for the same refresh: more than 10 seconds later a
   * second one would be taken for the theft of a token that has been used.
   * @param refresh resolves with null when the session has ended
   */
  renew(refused: Tokens, refresh: (refreshToken: string) => Promise<Tokens | null>): Promise<Tokens | null> {
    if (this.tokens !== refused) return Promise.resolve(this.tokens);
    if (this.renewal?.of === refused) return this.renewal.done;
    const renewal = { of: refused, done: this.replaced(refused, refresh(refused.refresh_token)) };
    this.renewal = renewal;
    const forget = (): void => {
      if (this.renewal === renewal) this.renewal = null;
    };
    renewal.done.then(forget, forget);
    return renewal.done;
  }

  /** Where `tokens` finds them. */
  protected keep(tokens: Tokens | null): void {
    this.current = tokens;
  }

  /** Whoever signed in or out meanwhile has said what holds. */
  private async replaced(refused: Tokens, next: Promise<Tokens | null>): Promise<Tokens | null> {
    const tokens = await next;
    if (this.tokens === refused) this.set(tokens);
    return this.tokens;
  }
}
