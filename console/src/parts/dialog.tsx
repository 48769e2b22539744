import { Button, getDefaultZIndex, Group, Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from './failures.js';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly size?: 'md' | 'lg' | 'xl';
  /** Whether the dialog opens on top of other dialogs. */
  readonly isOnTop?: boolean;
  readonly children: ReactNode;
}

/** A dialog over the page. Escape closes it. */
export function Dialog({ title, isOpen, onClose, size = 'md', isOnTop = false, children }: DialogProps) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      size={size}
      zIndex={getDefaultZIndex('modal') + (isOnTop ? 1 : 0)}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {children}
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
