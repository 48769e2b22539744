import { useWindowEvent } from '@mantine/hooks';

/**
 * Registers single keys as shortcuts. They do not act while somebody types or while a dialog or menu is open. Escape
 * leaves a field, so that the keys act again.
 */
export function useKeys(acts: Readonly<Record<string, () => void>>): void {
  useWindowEvent('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.closest('[role=dialog], [role=menu], [role=listbox]') !== null) return;
    const field = target.closest<HTMLElement>('input:not([type=checkbox]), textarea, select');
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
