import { Button, Menu } from '@mantine/core';
import { Icon } from '../../parts/icons.js';
import type { LogsSearch } from '../../routes/logs-search.js';
import { COLUMN_IDS, columnOf, DEFAULT_COLUMNS, MAX_COLUMNS } from './columns.js';

interface Props {
  readonly search: LogsSearch;
  /** The ids of the columns that are shown. */
  readonly columns: readonly string[];
  /** Paths of the properties of recent events. */
  readonly properties: readonly string[];
  readonly set: (change: Partial<LogsSearch>) => void;
}

/** Returns the member of the address for columns. The default is left out. */
export function columnsMember(ids: readonly string[]): Pick<LogsSearch, 'columns'> {
  const json = JSON.stringify(ids);
  return { columns: json === JSON.stringify(DEFAULT_COLUMNS) ? undefined : json };
}

/** Chooses the columns of the list, and how its rows look. */
export function ViewMenu({ search, columns, properties, set }: Props) {
  const known = [...new Set([...COLUMN_IDS, ...columns, ...properties])];
  const toggle = (id: string, isShown: boolean) => {
    const wanted = isShown ? [...columns, id] : columns.filter((each) => each !== id);
    // Own columns keep their order, and properties follow.
    const own = COLUMN_IDS.filter((each) => wanted.includes(each));
    set(columnsMember([...own, ...wanted.filter((each) => !own.includes(each))]));
  };
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
