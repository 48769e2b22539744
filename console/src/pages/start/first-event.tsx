import { Alert, Badge, Box, Button, Card, Group, Loader, Stack, Tabs, Text, Title } from '@mantine/core';
import { type Schemas, stream } from '@operational-events/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { LinkAnchor, LinkButton } from '../../parts/links.js';
import { api } from '../../api/client.js';
import { projectHealth } from '../../api/owning.js';
import { hasOwnEvent, SAMPLE_ENVIRONMENT } from '../../api/first-steps.js';
import { apiKeys } from '../../api/queries.js';
import { MANAGERS, useRefusal } from '../../api/roles.js';
import { Act } from '../../parts/act.js';
import { Copied } from '../../parts/copied.js';
import { Failure } from '../../parts/failures.js';
import { Icon } from '../../parts/icons.js';
import { Moment } from '../../parts/moment.js';
import { PageHead } from '../../parts/page-head.js';
import { NotOffered } from '../../parts/section.js';
import { UnsavedChanges } from '../../parts/unsaved-changes.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { Checklist } from './checklist.js';
import { MakeBrowserKey } from './make-browser-key.js';
import { BROWSER, samplesFor } from './samples.js';
import { SentByConsole } from './sent-by-console.js';

const SHOWN = 8;

/** Shows how to create a key, how to send an event with it, and the event when it arrives. */
export function FirstEventPage() {
  const { organization, project } = useCurrentProject();
  const [key, setKey] = useState<string | null>(null);
  const { events, error } = useLiveEvents(project.id);
  const refusal = useRefusal(project.id, MANAGERS);
  useChecklistRead(project.id, events);
  const params = { organization: organization.slug, project: project.slug };
  return (
    <Stack maw={860} gap="lg">
      <PageHead
        title="Send the first event"
        about="Make a key, send an event with it, and see the event arrive."
        guide="senders#which-way-to-choose"
      />
      <Step number={1} title="Make a key" isDone={key !== null}>
        <MakeKey projectId={project.id} refusal={refusal} value={key} onMade={setKey} />
      </Step>
      <Step number={2} title="Send an event with it" isDone={events.length > 0}>
        <Stack gap="lg">
          <SendEvent apiKey={key} projectId={project.id} refusal={refusal} />
          <SentByConsole apiKey={key} refusal={refusal} />
        </Stack>
      </Step>
      <Step number={3} title="See it arrive" isDone={events.length > 0}>
        <Failure error={error} />
        {events.length === 0 ? (
          <Group gap="sm" role="status">
            <Loader size="sm" type="dots" />
            <Text c="dimmed">Waiting for the first event…</Text>
          </Group>
        ) : (
          <Stack gap="xs" aria-live="polite">
            {events.map((event) => (
              <Group key={event.id} gap="sm">
                <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                  <Moment at={event.timestamp} clockOnly />
                </Text>
                <Badge variant="light" tt="none">
                  {event.event}
                </Badge>
                <Text size="sm" truncate style={{ flex: '1 1 120px', minWidth: 0 }}>
                  from {event.source}
                </Text>
                <LinkAnchor
                  to="/o/$organization/p/$project/logs"
                  params={params}
                  search={{ shown: event.id }}
                  size="sm"
                  style={{ whiteSpace: 'nowrap' }}
                >
                  Open in Logs
                </LinkAnchor>
              </Group>
            ))}
            <Group mt="sm">
              <LinkButton to="/o/$organization/p/$project" params={params}>
                To the overview
              </LinkButton>
              <LinkButton variant="default" to="/o/$organization/p/$project/logs" params={params}>
                To the logs
              </LinkButton>
              <LinkButton
                variant="default"
                to="/o/$organization/p/$project/analytics"
                params={params}
                search={{ event: events[0]?.event }}
              >
                Count it over time
              </LinkButton>
            </Group>
          </Stack>
        )}
      </Step>
      <Checklist />
    </Stack>
  );
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly children: React.ReactNode;
}

function Step({ number, title, isDone, children }: StepProps) {
  return (
    <Card withBorder padding="lg" component="section" aria-label={title}>
      <Group mb="md" gap="sm">
        <Badge circle size="lg" variant={isDone ? 'filled' : 'light'}>
          {isDone ? <Icon name="check" size={14} /> : number}
        </Badge>
        <Title order={2} size="h4">
          {title}
        </Title>
      </Group>
      {children}
    </Card>
  );
}

interface MakeKeyProps {
  readonly projectId: string;
  readonly refusal: string | undefined;
  readonly value: string | null;
  readonly onMade: (key: string) => void;
}

function MakeKey({ projectId, refusal, value, onMade }: MakeKeyProps) {
  const queries = useQueryClient();
  const [isKept, setIsKept] = useState(false);
  const making = useMutation({
    // The key is passed on instead of returned: the cache would keep it for minutes after the page is left.
    mutationFn: async () => {
      const { key } = await api.createApiKey({ body: { project_id: projectId, name: 'First steps' } });
      onMade(key);
      await Promise.all(
        [apiKeys(projectId), projectHealth(projectId)].map(({ queryKey }) => queries.invalidateQueries({ queryKey })),
      );
    },
  });
  if (value !== null) {
    return (
      <Stack gap="sm" align="flex-start">
        <Alert variant="light" title="It is shown only once" w="100%">
          Store it where only your program can read it, for example in an environment variable.
        </Alert>
        <Box w="100%">
          <Copied name="the key" text={value} />
        </Box>
        {!isKept && <Button onClick={() => setIsKept(true)}>I have kept it</Button>}
        <UnsavedChanges
          isDirty={!isKept}
          title="Leave without the key?"
          about="The key is not shown again when you leave this page."
          stay="Stay"
          leave="Leave without the key"
        />
      </Stack>
    );
  }
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">A key lets a program send events into this project, and nothing else.</Text>
      <Failure error={making.error} />
      <Act refusal={refusal} loading={making.isPending} onAct={() => making.mutate()}>
        Make a key
      </Act>
      {refusal !== undefined && <NotOffered why={`${refusal}. Ask one of them for a key`} />}
    </Stack>
  );
}

interface SendEventProps {
  readonly apiKey: string | null;
  readonly projectId: string;
  readonly refusal: string | undefined;
}

function SendEvent({ apiKey, projectId, refusal }: SendEventProps) {
  const [browserKey, setBrowserKey] = useState<string | null>(null);
  const samples = samplesFor(location.origin, apiKey ?? 'YOUR_KEY', browserKey ?? 'YOUR_BROWSER_KEY');
  return (
    <Tabs defaultValue={samples[0]?.title ?? null} keepMounted={false}>
      <Tabs.List aria-label="With which program">
        {samples.map(({ title }) => (
          <Tabs.Tab key={title} value={title}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {samples.map(({ title, name, code, about }) => (
        <Tabs.Panel key={title} value={title} pt="sm">
          <Stack gap="xs">
            {title === BROWSER && browserKey === null && (
              <MakeBrowserKey projectId={projectId} refusal={refusal} onMade={setBrowserKey} />
            )}
            <Copied name={name} text={code} />
            <Text size="sm" c="dimmed">
              {about}
              {title !== 'OpenTelemetry' &&
                title !== 'Collector' &&
                ' Your own events have any event_type, such as order.placed, and any JSON object as payload.'}
            </Text>
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** Reads the states of the checklist again when the first event arrives, and the first of a program. */
function useChecklistRead(projectId: string, events: readonly Schemas['EventRecord'][]): void {
  const queries = useQueryClient();
  const hasAny = events.length > 0;
  const hasOwn = events.some(({ environment }) => environment !== SAMPLE_ENVIRONMENT);
  useEffect(() => {
    if (!hasAny) return;
    for (const { queryKey } of [projectHealth(projectId), hasOwnEvent(projectId)])
      void queries.invalidateQueries({ queryKey });
  }, [queries, projectId, hasAny, hasOwn]);
}

/** Returns the latest events of the project as they arrive, newest first. */
function useLiveEvents(project_id: string) {
  const [events, setEvents] = useState<readonly Schemas['EventRecord'][]>([]);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const stop = new AbortController();
    const follow = async () => {
      for await (const { event } of stream(api.streamEvents, { query: { project_id } }, { signal: stop.signal }))
        setEvents((before) => [event, ...before].slice(0, SHOWN));
    };
    follow().catch((fault: unknown) => {
      if (!stop.signal.aborted) setError(fault);
    });
    return () => {
      stop.abort();
      setEvents([]);
      setError(null);
    };
  }, [project_id]);
  return { events, error };
}
