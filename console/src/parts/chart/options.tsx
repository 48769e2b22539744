import { ActionIcon, Menu } from '@mantine/core';
import { Icon } from '../icons.js';

interface Props {
  readonly title: string;
  readonly isTable: boolean;
  readonly isLog: boolean;
  readonly onTable: (isTable: boolean) => void;
  readonly onLog: (isLog: boolean) => void;
  readonly onCsv: () => void;
  readonly onPng: () => void;
}

/** Offers the other forms of a chart, and its files. */
export function ChartOptions({ title, isTable, isLog, onTable, onLog, onCsv, onPng }: Props) {
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Options of the chart: ${title}`}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onTable(!isTable)}>{isTable ? 'Show as chart' : 'Show as table'}</Menu.Item>
        {!isTable && (
          <Menu.Item onClick={() => onLog(!isLog)}>{isLog ? 'Linear scale' : 'Logarithmic scale'}</Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item onClick={onCsv}>Download CSV</Menu.Item>
        {!isTable && <Menu.Item onClick={onPng}>Download PNG</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}
