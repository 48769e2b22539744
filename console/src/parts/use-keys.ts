import { useWindowEvent } from '@mantine/hooks';

/** Registers single keys as shortcuts. They do not act while somebody types or while a dialog or menu is open. */
export function useKeys(acts: Readonly<Record<string, () => void>>): void {
  useWindowEvent('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target instanceof Element ? event.target : document.body;
    if (
      target.closest('input:not([type=checkbox]), textarea, select, [role=dialog], [role=menu], [role=listbox]') !==
      null
    )
      return;
    const act = Object.hasOwn(acts, event.key) ? acts[event.key] : undefined;
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}
