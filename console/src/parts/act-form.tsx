import { Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode, SubmitEvent } from 'react';
import { Failure } from './failures.js';

interface Props {
  /** The label of the button. */
  readonly verb: string;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  /** Runs the action and refetches what it has changed. */
  readonly act: () => Promise<unknown>;
  readonly onDone?: () => void;
  readonly children: ReactNode;
}

/** A form with one action. */
export function ActForm({ verb, isDangerous = false, isDisabled = false, act, onDone, children }: Props) {
  const acting = useMutation({ mutationFn: act, onSuccess: onDone, gcTime: 0 });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    acting.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {children}
        <Failure error={acting.error} />
        <Group justify="flex-end">
          <Button type="submit" {...(isDangerous && { color: 'red' })} disabled={isDisabled} loading={acting.isPending}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
