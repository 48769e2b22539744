import { Session, type Tokens } from './session.js';

/** What is used of `localStorage`. */
interface TextStorage {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
  removeItem(key: string): void;
}

/** What is used of the Web Locks of a page. */
interface Locks {
  request<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Without it a tab may refresh what another has refreshed a moment before. */
  query?(): Promise<{ readonly held?: readonly { readonly name?: string }[] }>;
}

interface Page {
  readonly localStorage: TextStorage;
  readonly navigator?: { readonly locks?: Locks };
  addEventListener?(event: 'storage', listener: (change: { readonly key: string | null }) => void): void;
}

export interface StoredSessionOptions {
  /** Of the entry. Default `operational-events.session`. */
  readonly key?: string | undefined;
  /** Told of each change, also by another tab; null: signed out. */
  readonly onChange?: ((tokens: Tokens | null) => void) | undefined;
  /** Default: `localStorage`. */
  readonly storage?: TextStorage | undefined;
  /** Default: `navigator.locks`; where there are none, tabs may refresh at the same time, and get the same refresh token. */
  readonly locks?: Locks | undefined;
}

/** Milliseconds. A page that keeps a lock for good could not be gone back to at once. */
const TELL_USED_FOR = 5_000;
const WAIT_FOR_TOKENS = 2_000;
const LOOK_AGAIN_AFTER = 10;

/**
 * A session that all tabs of an origin have in common: whoever signs in or out in one of them does in all, and one of them
 * refreshes for all. Whatever runs in the page can read it.
 */
export class StoredSession extends Session {
  private readonly key: string;
  private readonly storage: TextStorage;
  private readonly locks: Locks | undefined;
  private seen: { readonly text: string | null; readonly tokens: Tokens | null } = { text: null, tokens: null };

  constructor({ key = 'operational-events.session', onChange, storage, locks }: StoredSessionOptions = {}) {
    super(null, onChange);
    const page = globalThis as unknown as Page;
    this.key = key;
    this.storage = storage ?? page.localStorage;
    this.locks = locks ?? page.navigator?.locks;
    if (onChange !== undefined)
      page.addEventListener?.('storage', (change) => {
        if (change.key === key || change.key === null) onChange(this.tokens);
      });
  }

  /** The same object as long as nobody changes them. */
  override get tokens(): Tokens | null {
    const text = this.storage.getItem(this.key);
    if (text !== this.seen.text) this.seen = { text, tokens: tokensOf(text) };
    return this.seen.tokens;
  }

  override renew(refused: Tokens, refresh: (refreshToken: string) => Promise<Tokens | null>): Promise<Tokens | null> {
    return super.renew(refused, (refreshToken) => this.alone(() => this.refreshed(refreshToken, refresh)));
  }

  protected override keep(tokens: Tokens | null): void {
    if (tokens === null) this.storage.removeItem(this.key);
    else {
      const { access_token, refresh_token } = tokens;
      this.storage.setItem(this.key, JSON.stringify({ access_token, refresh_token }));
    }
  }

  private alone<T>(work: () => Promise<T>): Promise<T> {
    return this.locks === undefined ? work() : this.locks.request(this.key, work);
  }

  /** Another tab may have refreshed, or signed out, while this one waited. */
  private async refreshed(
    refreshToken: string,
    refresh: (refreshToken: string) => Promise<Tokens | null>,
  ): Promise<Tokens | null> {
    if (await this.isUsed(refreshToken)) await this.awaitNext(refreshToken);
    if (!this.holds(refreshToken)) return this.tokens;
    const next = await refresh(refreshToken);
    if (this.holds(refreshToken)) this.set(next);
    await this.tellUsed(refreshToken);
    return this.tokens;
  }

  /**
   * What a tab has written into the storage reaches the others a moment after the lock does. So which token is used is said by a
   * lock too, long enough for the storage.
   */
  private async tellUsed(refreshToken: string): Promise<void> {
    const { locks } = this;
    if (locks?.query === undefined || (await this.isUsed(refreshToken))) return;
    await new Promise<void>((told) => {
      const said = locks.request(this.usedName(refreshToken), () => {
        told();
        return pause(TELL_USED_FOR);
      });
      // A page that is being closed gets no lock.
      said.catch(() => told());
    });
  }

  private async isUsed(refreshToken: string): Promise<boolean> {
    const name = this.usedName(refreshToken);
    const { held = [] } = (await this.locks?.query?.()) ?? {};
    return held.some((lock) => lock.name === name);
  }

  /** Should they not come, a second refresh is answered as the retry of a lost one is. */
  private async awaitNext(refreshToken: string): Promise<void> {
    const until = Date.now() + WAIT_FOR_TOKENS;
    while (this.holds(refreshToken) && Date.now() < until) await pause(LOOK_AGAIN_AFTER);
  }

  /** Its end tells tokens apart and is of no use to anybody. */
  private usedName(refreshToken: string): string {
    return `${this.key} used ${refreshToken.slice(-8)}`;
  }

  private holds(refreshToken: string): boolean {
    return this.tokens?.refresh_token === refreshToken;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Null: there are none, or somebody else has written there. */
function tokensOf(text: string | null): Tokens | null {
  try {
    const { access_token, refresh_token } = (JSON.parse(text ?? 'null') ?? {}) as Partial<Tokens>;
    return typeof access_token === 'string' && typeof refresh_token === 'string'
      ? { access_token, refresh_token }
      : null;
  } catch {
    return null;
  }
}
