import { Button, Menu, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';

const MAX_QUERIES = 20;
/** Longer queries are saved, or they are lost. */
const MAX_CHARACTERS = 2_000;

/** Returns the last queries that this browser ran in the project, newest first, and a function that adds one. */
export function useRecentQueries(projectId: string): [readonly string[], (query: string) => void] {
  const [stored, setStored] = useLocalStorage<unknown>({
    key: `console-queries-${projectId}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const known = Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : [];
  return [
    known.slice(0, MAX_QUERIES),
    (query) => {
      if (query.length > MAX_CHARACTERS) return;
      setStored([query, ...known.filter((each) => each !== query)].slice(0, MAX_QUERIES));
    },
  ];
}

interface Props {
  readonly queries: readonly string[];
  readonly onTake: (query: string) => void;
}

/** Lists queries of the past. A click runs one again. */
export function RecentQueries({ queries, onTake }: Props) {
  return (
    <Menu position="bottom-start" width={360}>
      <Menu.Target>
        <Button variant="default" disabled={queries.length === 0}>
          Recent queries
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={420} maw="calc(100vw - 24px)" style={{ overflowY: 'auto' }}>
        {queries.map((query) => (
          <Menu.Item key={query} onClick={() => onTake(query)}>
            <Text span size="xs" ff="monospace" lineClamp={2}>
              {query}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
