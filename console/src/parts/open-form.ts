import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';

/** Forms of pages that an act of the search opens. */
type Form = 'key' | 'invitation' | 'endpoint';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The form that the page opens. It is a part of the navigation, so a navigation that is cancelled opens none. */
    readonly form?: Form;
  }
}

/** The state of a form that its page and an act of the search can open. */
export function useOpenForm(form: Form): readonly [boolean, (isOpen: boolean) => void] {
  const isWanted = useLocation({ select: ({ state }) => state.form === form });
  const navigate = useNavigate();
  const [isOpen, setIsOpen] = useState(false);
  const change = (next: boolean) => {
    setIsOpen(next);
    // Otherwise going back to the page would open the form again.
    if (!next && isWanted)
      void navigate({ to: '.', search: true, replace: true, resetScroll: false, ignoreBlocker: true, state: {} });
  };
  return [isOpen || isWanted, change];
}
