/** What the platforms have of which the types of neither are asked for. */
interface Platform {
  readonly process?: {
    once?(event: 'beforeExit', listener: () => void): unknown;
    removeListener?(event: 'beforeExit', listener: () => void): unknown;
  };
  readonly document?: {
    readonly visibilityState: string;
    addEventListener(event: 'visibilitychange', listener: () => void): void;
    removeEventListener(event: 'visibilitychange', listener: () => void): void;
  };
}

/** Whether this is a page. */
export function isPage(): boolean {
  return (globalThis as Platform).document !== undefined;
}

/**
 * Calls when a program has nothing else to do, once, and whenever a page is hidden, which is the last that a page is
 * sure to hear. @returns what lets go
 */
export function onExit(call: () => void): () => void {
  const { document, process } = globalThis as Platform;
  if (document !== undefined) {
    const hidden = (): void => {
      if (document.visibilityState === 'hidden') call();
    };
    document.addEventListener('visibilitychange', hidden);
    return () => document.removeEventListener('visibilitychange', hidden);
  }
  process?.once?.('beforeExit', call);
  return () => void process?.removeListener?.('beforeExit', call);
}
