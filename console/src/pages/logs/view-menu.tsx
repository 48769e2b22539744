import { Button, Menu } from '@mantine/core';
import { Icon } from '../../parts/icons.js';
import type { LogsSearch } from '../../routes/logs-search.js';
import { COLUMN_IDS, columnIds, columnOf, DEFAULT_COLUMNS, MAX_COLUMNS } from './columns.js';

/** A change of the address. A function computes it from the address that it changes. */
export type Change = Partial<LogsSearch> | ((before: LogsSearch) => Partial<LogsSearch>);

interface Props {
  readonly search: LogsSearch;
  /** Paths of the properties of recent events. */
  readonly properties: readonly string[];
  readonly set: (change: Change) => void;
}

/** Returns the member of the address for columns. The default is left out. */
export function columnsMember(ids: readonly string[]): Pick<LogsSearch, 'columns'> {
  const json = JSON.stringify(ids);
  return { columns: json === JSON.stringify(DEFAULT_COLUMNS) ? undefined : json };
}

/** Chooses the columns of the list, and how its rows look. */
export function ViewMenu({ search, properties, set }: Props) {
  const columns = columnIds(search.columns);
  const known = [...new Set([...COLUMN_IDS, ...columns, ...properties])];
  const toggle = (id: string, isShown: boolean) =>
    set((before) => {
      const others = columnIds(before.columns).filter((each) => each !== id);
      const wanted = isShown ? [...others, id] : others;
      // Own columns keep their order, and properties follow.
      const own = COLUMN_IDS.filter((each) => wanted.includes(each));
      return columnsMember([...own, ...wanted.filter((each) => !own.includes(each))]);
    });
  return (
    <Menu position="bottom-end" width={260} closeOnItemClick={false}>
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="settings" size={16} />}>
          Columns
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
        <Menu.Label>Rows</Menu.Label>
        <Menu.CheckboxItem checked={search.wrap === 'on'} onChange={(isOn) => set({ wrap: isOn ? 'on' : undefined })}>
          Wrap lines
        </Menu.CheckboxItem>
        <Menu.CheckboxItem
          checked={search.density === 'compact'}
          onChange={(isOn) => set({ density: isOn ? 'compact' : undefined })}
        >
          Compact
        </Menu.CheckboxItem>
        <Menu.Divider />
        <Menu.Label>Columns</Menu.Label>
        {known.map((id) => {
          const isShown = columns.includes(id);
          return (
            <Menu.CheckboxItem
              key={id}
              checked={isShown}
              disabled={(isShown && columns.length === 1) || (!isShown && columns.length >= MAX_COLUMNS)}
              onChange={(isOn) => toggle(id, isOn)}
            >
              <bdi>{id.startsWith('properties.') ? id : columnOf(id)?.label}</bdi>
            </Menu.CheckboxItem>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
