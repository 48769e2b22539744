import { useWindowEvent } from '@mantine/hooks';
import { useRef } from 'react';

type Acts = Readonly<Record<string, () => void>>;

function targetOf({ target }: KeyboardEvent): Element {
  return target instanceof Element ? target : document.body;
}

/** Returns whether a key may be a shortcut. It is none while a dialog or a menu is open. */
function isShortcut(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  return targetOf(event).closest('[role=dialog], [role=menu], [role=listbox]') === null;
}

/** Returns the field in which somebody types. */
function fieldOf(event: KeyboardEvent): HTMLElement | null {
  return targetOf(event).closest<HTMLElement>('input:not([type=checkbox]), textarea, select');
}

/**
 * Registers single keys as shortcuts. They do not act while somebody types or while a dialog or menu is open. Escape
 * leaves a field, so that the keys act again.
 */
export function useKeys(acts: Acts): void {
  useWindowEvent('keydown', (event) => {
    if (!isShortcut(event)) return;
    const field = fieldOf(event);
    if (field !== null) {
      if (event.key === 'Escape') field.blur();
      return;
    }
    const act = Object.hasOwn(acts, event.key) ? acts[event.key] : undefined;
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}

/** Registers keys that act after the key `first`. No other shortcut acts on the second key. */
export function useKeysAfter(first: string, acts: Acts): void {
  const isPressed = useRef(false);
  useWindowEvent(
    'keydown',
    (event) => {
      if (event.key === 'Shift') return;
      const isSecond = isPressed.current;
      isPressed.current = false;
      if (!isShortcut(event) || fieldOf(event) !== null) return;
      if (isSecond) {
        event.preventDefault();
        if (Object.hasOwn(acts, event.key)) acts[event.key]?.();
      } else if (event.key === first) {
        event.preventDefault();
        isPressed.current = true;
      }
    },
    // Before the shortcuts of the page.
    { capture: true },
  );
  useWindowEvent('pointerdown', () => (isPressed.current = false));
}
