import { Alert, Anchor, Button, Card, Group, Kbd, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { eqlAnswer, eqlLanguage } from '../../api/insight.js';
import { Failure } from '../../parts/failures.js';
import { PageHead } from '../../parts/page-head.js';
import { Empty } from '../../parts/rows.js';
import { type EqlSearch, eqlSearch } from '../../routes/insight.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { useTimeRange } from '../../shell/time-range.js';
import { CreateRule } from '../alerting/rules/create-rule.js';
import { PinToDashboard } from '../dashboards/pin.js';
import { EventDetail } from '../insight/event-detail.js';
import { SavedViews } from '../views/saved-views.js';
import { Editor } from './editor.js';
import { EXAMPLES } from './examples.js';
import { type Fault, faultOf } from './fault.js';
import { RecentQueries, useRecentQueries } from './recent.js';
import { Results } from './results.js';

/** The title of a panel is the beginning of its query, until somebody gives it another. */
const MAX_TITLE_CHARACTERS = 60;

const route = getRouteApi('/signed-in/o/$organization/p/$project/eql');

export function EqlPage() {
  const { project } = useCurrentProject();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const faultId = useId();
  const { q = '' } = search;
  const [text, setText] = useState(q);
  const [known, setKnown] = useState(q);
  // The address has changed: by going back, or by an example.
  if (q !== known) {
    setKnown(q);
    setText(q);
  }
  const { window } = useTimeRange();
  const { data: language } = useQuery(eqlLanguage(project.id));
  const { data, error, isFetching, refetch } = useQuery(eqlAnswer(project.id, q, window));
  const [recent, remember] = useRecentQueries(project.id);
  const set = (change: Partial<EqlSearch>) =>
    void navigate({ search: (before: EqlSearch) => ({ ...before, ...change }) });
  const run = (query: string) => {
    if (query.trim() === '') return;
    remember(query);
    if (query === q) void refetch();
    else set({ q: query, shown: undefined });
  };
  // The position of the fault is only valid while the text is the query that was run.
  const fault = text === q && !isFetching ? faultOf(error, q) : undefined;
  const mend = ({ from, to, better }: Fault) => setText(text.slice(0, from) + (better ?? '') + text.slice(to));

  return (
    <Stack gap="md">
      <PageHead
        title="Query"
        guide="eql"
        about="Events that match, follow each other or are missing, in the Event Query Language (EQL)."
      >
        <SavedViews kind="query" filters={{ q }} onApply={(kept) => void navigate({ search: eqlSearch(kept) })} />
        <PinToDashboard
          key={q}
          choices={[{ label: 'List', question: { kind: 'query', search: { q } } }]}
          title={q.slice(0, MAX_TITLE_CHARACTERS)}
          missing={q === '' ? 'Run a query first' : undefined}
        />
        <CreateRule question={q === '' ? undefined : { kind: 'query', q }} />
        <Button component="a" variant="default" href="/docs" target="_blank" rel="noreferrer">
          EQL reference
        </Button>
      </PageHead>
      <Editor
        value={text}
        onChange={setText}
        onRun={() => run(text)}
        language={language}
        fault={fault}
        faultId={faultId}
      />
      {fault !== undefined && (
        <Alert
          id={faultId}
          color="red"
          variant="light"
          role="alert"
          title={`Line ${fault.line}, column ${fault.column}`}
        >
          <Text size="sm">{fault.sentence}</Text>
          {fault.hint !== null && (
            <Group gap="sm" mt={4}>
              <Text size="sm">{fault.hint}</Text>
              {fault.better !== undefined && (
                <Button size="compact-xs" variant="default" onClick={() => mend(fault)}>
                  Write {fault.better}
                </Button>
              )}
            </Group>
          )}
        </Alert>
      )}
      <Group gap="sm" align="flex-end">
        <Button onClick={() => run(text)} disabled={text.trim() === ''} loading={isFetching}>
          Run
        </Button>
        <RecentQueries
          queries={recent}
          onTake={(query) => {
            setText(query);
            run(query);
          }}
        />
        <Text size="sm" c="dimmed" visibleFrom="sm" pb={8}>
          <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">Enter</Kbd> runs, <Kbd size="xs">Ctrl</Kbd>{' '}
          <Kbd size="xs">Space</Kbd> suggests
        </Text>
      </Group>
      {fault === undefined && <Failure error={error} />}
      {isFetching && data === undefined && (
        <Group gap="sm" role="status">
          <Loader size="sm" />
          <Text c="dimmed">Reading the events…</Text>
        </Group>
      )}
      {data !== undefined && error === null && <Results answer={data} onShow={({ id }) => set({ shown: id })} />}
      {q === '' && (
        <Examples
          onTake={(query) => {
            setText(query);
            run(query);
          }}
        />
      )}
      <EventDetail projectId={project.id} eventId={search.shown} onClose={() => set({ shown: undefined })} />
    </Stack>
  );
}

function Examples({ onTake }: { readonly onTake: (query: string) => void }) {
  return (
    <Empty title="Examples" about="Click on one to run it, then change it.">
      {EXAMPLES.map(({ name, query }) => (
        <Card key={name} withBorder padding="sm" w="100%">
          <Anchor component="button" type="button" ta="start" fw={600} onClick={() => onTake(query)}>
            {name}
          </Anchor>
          <Text component="pre" ff="monospace" size="sm" m={0} mt={4} c="dimmed" style={{ whiteSpace: 'pre-wrap' }}>
            {query}
          </Text>
        </Card>
      ))}
    </Empty>
  );
}
