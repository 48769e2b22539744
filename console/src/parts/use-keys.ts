import { useWindowEvent } from '@mantine/hooks';
import { useEffect, useRef } from 'react';

/** An act that returns false leaves the key to others. */
type Acts = Readonly<Record<string, () => unknown>>;

/** Shortcuts with their names, as the list of shortcuts shows them. */
export interface KeyNames {
  readonly title: string;
  /** Keys, separated by spaces, and what they do. */
  readonly names: Readonly<Record<string, string>>;
}

const shown = new Set<{ current: KeyNames | undefined }>();

/** Returns the names of the shortcuts that act now. Those of one title are together. */
export function namedKeys(): readonly KeyNames[] {
  const byTitle = new Map<string, Record<string, string>>();
  for (const { current } of shown) {
    if (current !== undefined) byTitle.set(current.title, { ...byTitle.get(current.title), ...current.names });
  }
  return [...byTitle].map(([title, names]) => ({ title, names }));
}

/** Lists shortcuts as long as the calling component is shown. */
function useKeyNames(names: KeyNames | undefined): void {
  const latest = useRef(names);
  useEffect(() => {
    latest.current = names;
  });
  useEffect(() => {
    shown.add(latest);
    return () => void shown.delete(latest);
  }, []);
}

function targetOf({ target }: KeyboardEvent): Element {
  return target instanceof Element ? target : document.body;
}

/** Returns whether a key was pressed without modifiers, and nothing has acted on it. */
function isPlain(event: KeyboardEvent): boolean {
  return !event.ctrlKey && !event.metaKey && !event.altKey && !event.defaultPrevented;
}

/**
 * Returns whether a key may be a shortcut. It is none while a dialog is open, nor in a dialog that the key has just
 * closed, nor in a menu.
 */
function isShortcut(event: KeyboardEvent): boolean {
  return (
    isPlain(event) &&
    document.querySelector('[role=dialog], [aria-modal=true]') === null &&
    targetOf(event).closest('[role=dialog], [role=menu], [role=listbox]') === null
  );
}

/** Returns the field in which somebody types. */
function fieldOf(event: KeyboardEvent): HTMLElement | null {
  return targetOf(event).closest<HTMLElement>('input:not([type=checkbox]), textarea, select, [contenteditable=true]');
}

/**
 * Registers single keys as shortcuts. They do not act while somebody types or while a dialog or menu is open. Escape
 * leaves a field, so that the keys act again.
 */
export function useKeys(acts: Acts, names?: KeyNames): void {
  useKeyNames(names);
  useWindowEvent('keydown', (event) => {
    if (isShortcut(event)) actOn(event, acts);
  });
}

/** Registers single keys as shortcuts of the dialog or drawer that shows the calling component. */
export function useDialogKeys(acts: Acts): void {
  useWindowEvent('keydown', (event) => {
    if (isPlain(event) && targetOf(event).closest('[role=menu], [role=listbox]') === null) actOn(event, acts);
  });
}

function actOn(event: KeyboardEvent, acts: Acts): void {
  const field = fieldOf(event);
  if (field !== null) {
    if (event.key === 'Escape') field.blur();
    return;
  }
  const act = Object.hasOwn(acts, event.key) ? acts[event.key] : undefined;
  if (act === undefined) return;
  if (act() !== false) event.preventDefault();
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
