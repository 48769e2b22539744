import {
  Alert,
  Badge,
  Group,
  NumberInput,
  SimpleGrid,
  Stack,
  Table,
  Tabs,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { api } from '../../api/client.js';
import {
  source,
  sourceApiKeys,
  sourceCatalog,
  sourceFailures,
  sourceHealth,
  sources,
  sourceStats,
} from '../../api/owning.js';
import { itemsOf } from '../../api/pages.js';
import { MANAGERS, useRefusal } from '../../api/roles.js';
import { Act } from '../../parts/act.js';
import { ActForm } from '../../parts/act-form.js';
import { Copied } from '../../parts/copied.js';
import { Dialog } from '../../parts/dialog.js';
import { Failure } from '../../parts/failures.js';
import { KeyRows, useKeysRead } from '../../parts/key-rows.js';
import { Listed, More } from '../../parts/listed.js';
import { MakeKey } from '../../parts/make-key.js';
import { Moment } from '../../parts/moment.js';
import { PageHead } from '../../parts/page-head.js';
import { Removal } from '../../parts/removal.js';
import { Rename } from '../../parts/rename.js';
import { Cell, Rows } from '../../parts/rows.js';
import { Section } from '../../parts/section.js';
import { ShownOnce } from '../../parts/shown-once.js';
import { TimeChart } from '../../parts/time-chart.js';
import { wordsOf } from '../../parts/words.js';
import { PendingPage } from '../../shell/around-pages.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { useSourceRead } from './use-source-read.js';
import { Webhooks } from './webhooks.js';

type Source = Schemas['EventSourceResponse'];

const route = getRouteApi('/signed-in/o/$organization/p/$project/sources/$source');

export function SourcePage() {
  const { source: id } = route.useParams();
  const { data, error } = useQuery(source(id));
  if (data === undefined) return error === null ? <PendingPage /> : <Failure error={error} />;
  return <SourceParts key={id} source={data} />;
}

interface Props {
  readonly source: Source;
}
interface ManagedProps extends Props {
  readonly refusal: string | undefined;
}

function SourceParts({ source: shown }: Props) {
  const { project } = useCurrentProject();
  const refusal = useRefusal(project.id, MANAGERS);
  return (
    <Stack gap="lg">
      <PageHead
        title={shown.name}
        guide="keys-and-sources#sources"
        about={shown.description ?? 'Keys, health and figures of this source.'}
      >
        <Acts source={shown} refusal={refusal} />
      </PageHead>
      <Health source={shown} />
      <Webhooks source={shown} refusal={refusal} />
      <Keys source={shown} refusal={refusal} />
      <Failures source={shown} />
      <Begin source={shown} />
      <Deletion source={shown} refusal={refusal} />
    </Stack>
  );
}

function Acts({ source: { id: source_id, name, is_enabled }, refusal }: ManagedProps) {
  const readAnew = useSourceRead(source_id);
  const [isRenaming, setIsRenaming] = useState(false);
  const path = { source_id };
  const turn = useMutation({
    mutationFn: () => (is_enabled ? api.disableIngestSource({ path }) : api.enableIngestSource({ path })),
    onSettled: readAnew,
  });
  const test = useMutation({ mutationFn: () => api.testIngestSource({ path }), onSettled: readAnew });
  return (
    <Stack gap="xs" align="flex-end">
      <Group gap="sm">
        <Act variant="default" refusal={refusal} onAct={() => setIsRenaming(true)}>
          Rename
        </Act>
        <Act variant="default" refusal={refusal} loading={turn.isPending} onAct={() => turn.mutate()}>
          {is_enabled ? 'Switch off' : 'Switch on'}
        </Act>
        <Act refusal={refusal} loading={test.isPending} onAct={() => test.mutate()}>
          Send a test event
        </Act>
      </Group>
      <Failure error={turn.error ?? test.error} />
      {test.isSuccess && (
        <Text size="sm" role="status">
          The test event was taken.
        </Text>
      )}
      <Dialog title="Rename the source" isOpen={isRenaming} onClose={() => setIsRenaming(false)}>
        <RenameSource id={source_id} before={name} onDone={() => setIsRenaming(false)} />
      </Dialog>
    </Stack>
  );
}

interface RenameProps {
  readonly id: string;
  readonly before: string;
  readonly onDone: () => void;
}

function RenameSource({ id, before, onDone }: RenameProps) {
  const readAnew = useSourceRead(id);
  const rename = async (name: string) => {
    await api.updateIngestSource({ path: { source_id: id }, body: { name } });
    await readAnew();
  };
  return <Rename before={before} rename={rename} onDone={onDone} />;
}

const STATES: Readonly<Record<Schemas['EventSourceStatus'], { color: string; words: string }>> = {
  healthy: { color: 'sea', words: 'An event came in the last 24 hours.' },
  quiet: { color: 'orange', words: 'No event came in the last 24 hours.' },
  failing: { color: 'red', words: 'No key is active, or at least half was refused in the last 24 hours.' },
  never_seen: { color: 'gray', words: 'Nothing has come yet.' },
  disabled: { color: 'gray', words: 'It is switched off: what its keys send is refused.' },
};

function Health({ source: { id } }: Props) {
  const { data: health, error } = useQuery(sourceHealth(id));
  const { data: stats } = useQuery(sourceStats(id));
  const [times, series] = useMemo(() => {
    const hours = stats?.timeseries ?? [];
    return [
      hours.map(({ ts }) => Date.parse(ts) / 1000),
      [{ label: 'Events', color: 'sea' as const, values: hours.map(({ events }) => events) }],
    ];
  }, [stats]);
  return (
    <Section
      title="Health"
      about={health === undefined ? 'Asking…' : STATES[health.status].words}
      acts={
        health !== undefined && (
          <Badge variant="light" color={STATES[health.status].color}>
            {wordsOf(health.status)}
          </Badge>
        )
      }
    >
      <Failure error={error} />
      {health !== undefined && (
        <SimpleGrid cols={{ base: 2, sm: 4 }}>
          <Figure label="Events in 24 hours" value={health.events_last_24h.toLocaleString('en')} />
          <Figure label="Refused in 24 hours" value={health.failures_last_24h.toLocaleString('en')} />
          <Figure label="Active keys" value={String(health.active_keys)} />
          <Figure
            label="Last event"
            value={health.last_event_at === null ? 'None yet' : <Moment at={health.last_event_at} />}
          />
        </SimpleGrid>
      )}
      {times.length > 0 && (
        <TimeChart label="Events of the last day, by hour" times={times} series={series} interval={3_600} isSmall />
      )}
    </Section>
  );
}

function Figure({ label, value }: { readonly label: string; readonly value: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text fw={600} className="numbers">
        {value}
      </Text>
    </div>
  );
}

function Keys({ source: { id: source_id }, refusal }: ManagedProps) {
  const query = useQuery(sourceApiKeys(source_id));
  const [made, setMade] = useState<'server' | 'browser' | null>(null);
  const close = () => setMade(null);
  const make = async (name: string) => (await api.createIngestSourceKey({ path: { source_id }, body: { name } })).key;
  return (
    <Section
      title="Keys"
      about="They send for this source alone. A browser key may stand in a web page: it only writes, and only from the sites you name."
      acts={
        <>
          <Act variant="default" refusal={refusal} onAct={() => setMade('browser')}>
            New browser key
          </Act>
          <Act refusal={refusal} onAct={() => setMade('server')}>
            New key
          </Act>
        </>
      }
    >
      <Listed
        query={query}
        empty={
          <Text size="sm" c="dimmed">
            No key: nothing can send for it.
          </Text>
        }
      >
        {(keys) => <KeyRows label="Keys of the source" keys={keys} refusal={refusal} />}
      </Listed>
      <Dialog title="New key" isOpen={made === 'server'} onClose={close}>
        <MakeKey make={make} onDone={close} />
      </Dialog>
      <Dialog title="New browser key" guide="keys-and-sources#keys" isOpen={made === 'browser'} onClose={close}>
        <MakeBrowserKey id={source_id} onDone={close} />
      </Dialog>
    </Section>
  );
}

function MakeBrowserKey({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const readAnew = useKeysRead();
  const [name, setName] = useState('');
  const [origins, setOrigins] = useState<string[]>([]);
  const [perMinute, setPerMinute] = useState<number | string>('');
  const [key, setKey] = useState<string | null>(null);
  const make = async () => {
    const made = await api.createBrowserKey({
      path: { source_id: id },
      body: {
        name: name.trim(),
        allowed_origins: origins,
        ...(typeof perMinute === 'number' && { rate_limit_per_minute: perMinute }),
      },
    });
    setKey(made.key);
    await readAnew();
  };
  if (key !== null) {
    return (
      <ShownOnce
        name="the browser key"
        text={key}
        advice="It may stand in your pages. Other sites cannot use it, and it reads nothing."
        onKept={onDone}
      />
    );
  }
  return (
    <ActForm verb="Make the key" isDisabled={origins.length === 0} act={make}>
      <TextInput
        label="Name"
        placeholder="Shop front"
        required
        withAsterisk={false}
        data-autofocus
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TagsInput
        label="Sites"
        description="Where your pages come from, scheme and host. Press Enter after each."
        placeholder="https://shop.example.com"
        value={origins}
        onChange={setOrigins}
        acceptValueOnBlur
      />
      <NumberInput
        label="Events a minute at most"
        description="Left empty, the service's own bound holds"
        min={1}
        allowDecimal={false}
        value={perMinute}
        onChange={setPerMinute}
      />
    </ActForm>
  );
}

function Failures({ source: { id } }: Props) {
  const query = useInfiniteQuery(sourceFailures(id));
  const { data: keys } = useQuery(sourceApiKeys(id));
  return (
    <Section title="Refused" about="What its keys or its webhooks sent and was not taken, by the hour.">
      <Listed
        query={{ data: itemsOf(query.data), error: query.error }}
        empty={
          <Text size="sm" c="dimmed">
            Nothing was refused.
          </Text>
        }
      >
        {(items) => (
          <Rows label="Refused" columns={['Last', 'Why', 'How often', 'Key', 'Request']} minWidth={720}>
            {items.map((each) => (
              <Table.Tr key={`${each.api_key_id} ${each.reason_code} ${each.occurred_at}`}>
                <Cell column="Last">
                  <Moment at={each.occurred_at} />
                </Cell>
                <Cell column="Why">
                  {wordsOf(each.reason_code)} ({each.status_code})
                </Cell>
                <Cell column="How often" className="numbers">
                  {each.count}
                </Cell>
                <Cell column="Key">
                  {each.api_key_id === null
                    ? 'Webhook'
                    : (keys?.find((key) => key.id === each.api_key_id)?.name ?? '–')}
                </Cell>
                <Cell column="Request" ff="monospace" fz="xs">
                  {each.request_id ?? '–'}
                </Cell>
              </Table.Tr>
            ))}
          </Rows>
        )}
      </Listed>
      <More query={query} />
    </Section>
  );
}

function Begin({ source: { type } }: Props) {
  const { data: catalog } = useQuery(sourceCatalog);
  const kind = catalog?.find((each) => each.type === type);
  if (kind === undefined) return null;
  return (
    <Section title="How to send" about={kind.description}>
      <Tabs defaultValue={kind.snippets[0]?.language ?? null} keepMounted={false}>
        <Tabs.List>
          {kind.snippets.map(({ language, title }) => (
            <Tabs.Tab key={language} value={language}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {kind.snippets.map(({ language, title, code }) => (
          <Tabs.Panel key={language} value={language} pt="sm">
            <Copied name={title} text={code} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Section>
  );
}

function Deletion({ source: { id: source_id, name, last_event_at }, refusal }: ManagedProps) {
  const { organization, project } = useCurrentProject();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = async () => {
    await api.deleteIngestSource({ path: { source_id } });
    await navigate({
      to: '/o/$organization/p/$project/sources',
      params: { organization: organization.slug, project: project.slug },
    });
    await queries.invalidateQueries({ queryKey: sources(project.id).queryKey });
  };
  if (last_event_at !== null) {
    return (
      <Alert variant="light" color="gray">
        A source that has sent something stays, so that its events keep their origin. Switch it off instead.
      </Alert>
    );
  }
  return (
    <Section
      title="Delete the source"
      about="As long as it has sent nothing it can be deleted, with its keys."
      acts={
        <Removal isLarge refusal={refusal} verb="Delete" name={name} title="Delete the source" act={remove}>
          <b>{name}</b> and its keys go at once.
        </Removal>
      }
    />
  );
}
