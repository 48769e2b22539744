import { Button, Group, Loader, Menu, Stack, Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { given, type Narrowed, type Window, windowOf } from '../../api/insight.js';
import { Dialog } from '../../parts/dialog.js';
import { Failure } from '../../parts/failures.js';
import { Icon } from '../../parts/icons.js';
import { decimal, whole } from '../../parts/numbers.js';
import { fileName, save } from '../../parts/save.js';
import { useStop } from '../../parts/use-stop.js';
import { useCurrentProject } from '../../shell/current-project.js';

type Format = Schemas['ExportFormat'];

interface Props {
  readonly window: Window;
  readonly filters: Narrowed;
  /** Number of matching events, if it is known. */
  readonly total: number | undefined;
}

const MEGABYTE = 1e6;
/** Received data is passed to the browser in pieces of this size. The browser may store them on disk. */
const PIECE_BYTES = 8 * MEGABYTE;

/** Exports the events that match the filters as a file, however many there are. */
export function ExportEvents({ window, filters, total }: Props) {
  const { project } = useCurrentProject();
  const { begin, stop } = useStop();
  const [bytes, setBytes] = useState(0);
  const exporting = useMutation({
    mutationFn: async (format: Format) => {
      const signal = begin();
      setBytes(0);
      const answer = await api.exportProjectEvents(
        { path: { project_id: project.id }, body: { ...given(filters), ...windowOf(window), format } },
        { signal },
      );
      save(await contentOf(answer, setBytes), fileName(project.slug, 'events', format));
    },
  });
  const close = () => {
    stop();
    exporting.reset();
  };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="download" size={16} />}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{total === undefined ? 'All that match' : `All ${whole(total)} that match`}</Menu.Label>
          <Menu.Item onClick={() => exporting.mutate('csv')}>As CSV, for spreadsheets</Menu.Item>
          <Menu.Item onClick={() => exporting.mutate('ndjson')}>As NDJSON, one event a line</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Dialog title="Export" isOpen={exporting.isPending || exporting.isError} onClose={close}>
        <Stack>
          <Failure error={exporting.error} />
          {exporting.isPending && (
            <Group gap="sm" role="status">
              <Loader size="sm" />
              <Text className="numbers">{decimal(bytes / MEGABYTE)} MB so far</Text>
            </Group>
          )}
          <Button variant="default" onClick={close}>
            {exporting.isPending ? 'Stop' : 'Close'}
          </Button>
        </Stack>
      </Dialog>
    </>
  );
}

/** Reads the answer to its end. The browser rejects an answer that is cut off, so no partial file is saved. */
async function contentOf(answer: Response, onBytes: (bytes: number) => void): Promise<Blob> {
  const pieces: Blob[] = [];
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  let folded = 0;
  const reader = answer.body?.getReader();
  for (;;) {
    const read = await reader?.read();
    if (read?.value === undefined) break;
    parts.push(read.value);
    onBytes((bytes += read.value.length));
    if (bytes - folded < PIECE_BYTES) continue;
    pieces.push(new Blob(parts));
    parts = [];
    folded = bytes;
  }
  return new Blob([...pieces, ...parts], { type: answer.headers.get('Content-Type') ?? '' });
}
