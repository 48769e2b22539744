import { Stack } from '@mantine/core';
import { Fact, Facts, JsonText } from '../../parts/facts.js';
import { Moment } from '../../parts/moment.js';
import { Side } from '../../parts/side.js';
import { StatusBadge } from '../../parts/status-badge.js';
import type { LogRow } from './log-tail.js';

/** Shows all of one row next to the list. Null: the panel is closed. */
export function LogRowDetail({ row, onClose }: { readonly row: LogRow | null; readonly onClose: () => void }) {
  return (
    <Side title="Log row" isOpen={row !== null} onClose={onClose}>
      {row !== null && (
        <Stack>
          <Facts>
            <Fact name="When">
              <Moment at={row.timestamp} />
            </Fact>
            <Fact name="Request">
              {row.method} {row.endpoint}
            </Fact>
            <Fact name="Status">
              <StatusBadge status={row.status} />
            </Fact>
            <Fact name="Latency">{row.latency_ms} ms</Fact>
            <Fact name="Key">{row.api_key_prefix === '' ? '–' : `${row.api_key_prefix}…`}</Fact>
            <Fact name="Id">{row.id}</Fact>
          </Facts>
          <JsonText name="Request" value={row.request_body} />
          <JsonText name="Response" value={row.response_body} />
        </Stack>
      )}
    </Side>
  );
}
