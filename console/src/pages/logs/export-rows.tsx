import { Button, Menu } from '@mantine/core';
import { Icon } from '../../parts/icons.js';
import { whole } from '../../parts/numbers.js';
import { csvLine, fileName, save } from '../../parts/save.js';
import { useCurrentProject } from '../../shell/current-project.js';
import type { LogRow } from './log-tail.js';

const COLUMNS = ['timestamp', 'method', 'endpoint', 'status', 'latency_ms', 'api_key_prefix', 'id'] as const;

/** Exports the rows that are shown as a file, without a request. */
export function ExportRows({ rows }: { readonly rows: readonly LogRow[] }) {
  const { project } = useCurrentProject();
  const csv = () =>
    save(
      new Blob([csvLine(COLUMNS), ...rows.map((row) => csvLine(COLUMNS.map((name) => row[name])))], {
        type: 'text/csv',
      }),
      fileName(project.slug, 'logs', 'csv'),
    );
  const ndjson = () =>
    save(
      new Blob(
        rows.map((row) => `${JSON.stringify(row)}\n`),
        { type: 'application/x-ndjson' },
      ),
      fileName(project.slug, 'logs', 'ndjson'),
    );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" disabled={rows.length === 0} leftSection={<Icon name="download" size={16} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>The {whole(rows.length)} rows shown</Menu.Label>
        <Menu.Item onClick={csv}>As CSV, for spreadsheets</Menu.Item>
        <Menu.Item onClick={ndjson}>As NDJSON, with both bodies</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
