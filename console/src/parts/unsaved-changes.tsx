import { Button, Group, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { Dialog } from './dialog.js';

/** Asks before a person leaves a page whose changes are not saved. The browser asks when the tab is closed. */
export function UnsavedChanges({ isDirty }: { readonly isDirty: boolean }) {
  const blocker = useBlocker({
    // A change of the search parameters alone keeps the form.
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  return (
    <Dialog title="Leave without saving?" isOpen={blocker.status === 'blocked'} onClose={() => blocker.reset?.()}>
      <Stack>
        <Text>The changes on this page are not saved.</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => blocker.reset?.()}>
            Keep editing
          </Button>
          <Button color="red" onClick={() => blocker.proceed?.()}>
            Leave without saving
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
