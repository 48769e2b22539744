import { Button, Group, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { Dialog } from './dialog.js';

interface Props {
  readonly isDirty: boolean;
  readonly title?: string;
  readonly about?: string;
  /** The label of the button that leaves the page. */
  readonly leave?: string;
  /** The label of the button that stays. */
  readonly stay?: string;
}

/** Asks before a person leaves a page and loses what they have not saved. The browser asks when the tab is closed. */
export function UnsavedChanges({
  isDirty,
  title = 'Leave without saving?',
  about = 'The changes on this page are not saved.',
  leave = 'Leave without saving',
  stay = 'Keep editing',
}: Props) {
  const blocker = useBlocker({
    // A change of the search parameters alone keeps the form.
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  return (
    <Dialog title={title} isOpen={blocker.status === 'blocked'} onClose={() => blocker.reset?.()}>
      <Stack>
        <Text>{about}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => blocker.reset?.()}>
            {stay}
          </Button>
          <Button color="red" onClick={() => blocker.proceed?.()}>
            {leave}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
