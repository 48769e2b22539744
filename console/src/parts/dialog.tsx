import { Button, getDefaultZIndex, Group, Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { Failure } from './failures.js';
import { HelpLink } from './help-link.js';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly size?: 'md' | 'lg' | 'xl';
  /** The guide of the form inside, as `HelpLink` takes it. */
  readonly guide?: string;
  /** Whether the dialog opens on top of other dialogs. */
  readonly isOnTop?: boolean;
  readonly children: ReactNode;
}

/** Keeps the dialog around a component open until the component is gone. */
const Holding = createContext<(isHeld: boolean) => void>(() => undefined);

/** Lets only the buttons of its content close the dialog, as long as the calling component is shown. */
export function useHeldDialog(): void {
  const hold = use(Holding);
  useEffect(() => {
    hold(true);
    return () => hold(false);
  }, [hold]);
}

/** A dialog over the page. Escape, a click beside it and its cross close it, unless its content holds it open. */
export function Dialog({ title, isOpen, onClose, size = 'md', guide, isOnTop = false, children }: DialogProps) {
  const [isHeld, setIsHeld] = useState(false);
  return (
    <Modal
      opened={isOpen}
      closeOnEscape={!isHeld}
      closeOnClickOutside={!isHeld}
      withCloseButton={!isHeld}
      onClose={onClose}
      title={title}
      size={size}
      zIndex={getDefaultZIndex('modal') + (isOnTop ? 1 : 0)}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Holding value={setIsHeld}>{children}</Holding>
      {guide !== undefined && <HelpLink guide={guide} about={title} />}
    </Modal>
  );
}

interface ConfirmationProps {
  /** The label of the button. */
  readonly verb: string;
  /** Whether the action cannot be undone. */
  readonly isDangerous?: boolean;
  /** Runs the action and refetches what it has changed. */
  readonly act: () => Promise<unknown>;
  readonly onClose: () => void;
  /** Describes what will happen. */
  readonly children: ReactNode;
}

/** Asks for confirmation before an action, inside a dialog. */
export function Confirmation({ verb, isDangerous = false, act, onClose, children }: ConfirmationProps) {
  const acting = useMutation({ mutationFn: act, onSuccess: onClose });
  return (
    <Stack>
      <div>{children}</div>
      <Failure error={acting.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Keep it
        </Button>
        <Button {...(isDangerous && { color: 'red' })} loading={acting.isPending} onClick={() => acting.mutate()}>
          {verb}
        </Button>
      </Group>
    </Stack>
  );
}
