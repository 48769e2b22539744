import { Kbd, Stack, Table, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Dialog } from '../parts/dialog.js';
import { useKeys, useKeysAfter } from '../parts/use-keys.js';
import { useCurrentProject } from './current-project.js';
import { AREAS } from './pages.js';

interface Props {
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

const KEYS: readonly { readonly title: string; readonly rows: readonly (readonly [string, string])[] }[] = [
  {
    title: 'Everywhere',
    rows: [
      ['⌘ K', 'Search pages, actions and the project. Without ⌘: Ctrl K'],
      ['?', 'This list'],
      ['Esc', 'Close what is open'],
    ],
  },
  {
    title: 'Go to',
    rows: AREAS.flatMap(({ area, key }) => (key === null ? [] : [[`g ${key}`, area] as const])),
  },
  {
    title: 'Alerts',
    rows: [
      ['j k', 'Next, previous'],
      ['e', 'Acknowledge'],
      ['r', 'Resolve'],
      ['s', 'Snooze'],
      ['a', 'Assign'],
      ['c', 'Comment'],
      ['x', 'Select'],
      ['/', 'Search field'],
    ],
  },
];

/** The shortcuts that every page of a project has, and the list of all shortcuts. */
export function Shortcuts({ isOpen, onOpen }: Props) {
  const { organization, project } = useCurrentProject();
  const params = { organization: organization.slug, project: project.slug };
  const navigate = useNavigate();
  useKeys({ '?': () => onOpen(true) });
  useKeysAfter(
    'g',
    Object.fromEntries(
      AREAS.flatMap(({ key, pages: [{ to }] }) =>
        key === null ? [] : [[key, () => void navigate({ to, params })] as const],
      ),
    ),
  );
  return (
    <Dialog title="Keyboard shortcuts" size="lg" isOpen={isOpen} onClose={() => onOpen(false)}>
      <Stack>
        {KEYS.map(({ title, rows }) => (
          <section key={title} aria-label={title}>
            <Text fw={600} size="sm">
              {title}
            </Text>
            <Table verticalSpacing={4}>
              <Table.Tbody>
                {rows.map(([keys, act]) => (
                  <Table.Tr key={keys}>
                    <Table.Td w={110}>
                      {keys.split(' ').map((key) => (
                        <Kbd key={key} size="sm" mr={4}>
                          {key}
                        </Kbd>
                      ))}
                    </Table.Td>
                    <Table.Td>{act}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </section>
        ))}
      </Stack>
    </Dialog>
  );
}
