import { ActionIcon, Button, Menu, Stack, Text, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { me } from '../api/queries.js';
import { signOut } from '../api/session.js';
import { Dialog } from '../parts/dialog.js';
import { Failure } from '../parts/failures.js';
import { Icon } from '../parts/icons.js';
import { LinkItem } from '../parts/links.js';

export function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  return (
    <ActionIcon
      variant="default"
      size="lg"
      visibleFrom="xs"
      aria-label={`Show it ${other}`}
      onClick={() => setColorScheme(other)}
    >
      <Icon name={scheme === 'dark' ? 'sun' : 'moon'} />
    </ActionIcon>
  );
}

/** Returns the mutation that signs the person out. */
export function useSignOut() {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async () => {
      const next = await signOut();
      if (next === null) await navigate({ to: '/login' });
      else location.assign(next);
    },
  });
}

/** Says that a sign-out has failed. */
export function StillSignedIn({ leaving }: { readonly leaving: ReturnType<typeof useSignOut> }) {
  return (
    <Dialog title="You are still signed in" isOpen={leaving.isError} onClose={leaving.reset}>
      <Stack>
        <Failure error={leaving.error} />
        <Button onClick={() => leaving.mutate()}>Try again</Button>
      </Stack>
    </Dialog>
  );
}

export function PersonMenu() {
  const { data: person } = useSuspenseQuery(me);
  const leaving = useSignOut();
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label="Your account">
            <Icon name="user" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            <Text size="sm" truncate>
              {person.email}
            </Text>
          </Menu.Label>
          <LinkItem to="/account" leftSection={<Icon name="user" size={16} />}>
            Account and security
          </LinkItem>
          <LinkItem to="/start" leftSection={<Icon name="plus" size={16} />}>
            New project
          </LinkItem>
          <Menu.Divider />
          <Menu.Item onClick={() => leaving.mutate()}>Sign out</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <StillSignedIn leaving={leaving} />
    </>
  );
}
