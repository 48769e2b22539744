import { Kbd, Stack, Table, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Dialog } from '../parts/dialog.js';
import { hasOwnRowKeys, hasRows, ROW_KEYS, useRowKeys } from '../parts/row-keys.js';
import { type KeyNames, namedKeys, useKeys, useKeysAfter } from '../parts/use-keys.js';
import { useCurrentProject } from './current-project.js';
import { AREAS } from './pages.js';
import { useRail } from './rail.js';

interface Props {
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

const EVERYWHERE: KeyNames = {
  title: 'Everywhere',
  names: {
    '⌘ K': 'Search pages, acts and the project. Without ⌘: Ctrl K',
    '?': 'This list',
    Esc: 'Close what is open, or leave a field',
  },
};
const GO_TO: KeyNames = {
  title: 'Go to',
  names: Object.fromEntries(AREAS.flatMap(({ area, key }) => (key === null ? [] : [[`g ${key}`, area] as const]))),
};

/** Returns all shortcuts of the current page. */
function currentKeys(): readonly KeyNames[] {
  return [EVERYWHERE, GO_TO, ...namedKeys(), ...(!hasOwnRowKeys() && hasRows() ? [ROW_KEYS] : [])];
}

/** The shortcuts that every page of a project has, and the list of all shortcuts of the page. */
export function Shortcuts({ isOpen, onOpen }: Props) {
  const { organization, project } = useCurrentProject();
  const params = { organization: organization.slug, project: project.slug };
  const navigate = useNavigate();
  const { isRail, toggle } = useRail();
  useKeys({ '?': () => onOpen(true) });
  useKeys(
    toggle === undefined ? {} : { '[': toggle },
    toggle === undefined
      ? undefined
      : { title: 'Navigation', names: { '[': isRail ? 'Show the names' : 'Show only icons' } },
  );
  useRowKeys();
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
        {isOpen &&
          currentKeys().map(({ title, names }) => (
            <section key={title} aria-label={title}>
              <Text fw={600} size="sm">
                {title}
              </Text>
              <Table verticalSpacing={4}>
                <Table.Tbody>
                  {Object.entries(names).map(([keys, does]) => (
                    <Table.Tr key={keys}>
                      <Table.Td w={110}>
                        {keys.split(' ').map((key) => (
                          <Kbd key={key} size="sm" mr={4}>
                            {key}
                          </Kbd>
                        ))}
                      </Table.Td>
                      <Table.Td>{does}</Table.Td>
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
