import {
  Anchor,
  Breadcrumbs,
  Button,
  FileButton,
  Group,
  Progress,
  SimpleGrid,
  Stack,
  Table,
  Text,
} from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { files, storageUsage } from '../../api/owning.js';
import { MANAGERS, OPERATORS, useRefusal } from '../../api/roles.js';
import { Failure } from '../../parts/failures.js';
import { Gauge } from '../../parts/gauge.js';
import { Icon } from '../../parts/icons.js';
import { LinkAnchor } from '../../parts/links.js';
import { Listed, More } from '../../parts/listed.js';
import { Moment } from '../../parts/moment.js';
import { PageHead } from '../../parts/page-head.js';
import { Removal } from '../../parts/removal.js';
import { Cell, Empty, Rows } from '../../parts/rows.js';
import { NotOffered, Section } from '../../parts/section.js';
import { sizeOf } from '../../parts/words.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { upload } from './upload.js';

type Kept = Schemas['ObjectResponse'];

const route = getRouteApi('/signed-in/o/$organization/p/$project/files');

export function FilesPage() {
  const { project } = useCurrentProject();
  const { prefix = '' } = route.useSearch();
  return (
    <Stack gap="lg">
      <PageHead
        title="Files"
        guide="objects"
        about="Reports, exports and screenshots of the project, by names with folders."
      />
      <Usage projectId={project.id} />
      <Upload key={prefix} prefix={prefix} />
      <Folder prefix={prefix} />
    </Stack>
  );
}

function Usage({ projectId }: { readonly projectId: string }) {
  const { data: usage, error } = useQuery(storageUsage(projectId));
  return (
    <Section title="Used" about="By all projects of the organization. Downloads are counted per month.">
      <Failure error={error} />
      {usage !== undefined && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Gauge
            label="Stored"
            used={usage.storage.bytes_used}
            limit={usage.storage.bytes_limit}
            isNearLimit={usage.storage.is_near_limit}
            write={sizeOf}
          />
          <Gauge
            label="Downloaded this month"
            used={usage.bandwidth.bytes_used}
            limit={usage.bandwidth.bytes_limit}
            isNearLimit={usage.bandwidth.is_near_limit}
            write={sizeOf}
          />
        </SimpleGrid>
      )}
    </Section>
  );
}

function useFilesRead(): () => Promise<void> {
  const { project } = useCurrentProject();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['project', project.id, 'files'] });
}

function Upload({ prefix }: { readonly prefix: string }) {
  const { project } = useCurrentProject();
  const refusal = useRefusal(project.id, OPERATORS);
  const readAnew = useFilesRead();
  const [share, setShare] = useState(0);
  const sending = useMutation({
    mutationFn: (file: File) =>
      upload({ project_id: project.id, key: `${prefix}${file.name}`, file }, (sent, all) =>
        setShare((sent / all) * 100),
      ),
    onMutate: () => setShare(0),
    onSettled: readAnew,
  });
  if (refusal !== undefined) return <NotOffered why={`${refusal} to upload`} />;
  return (
    <Stack gap="xs" align="flex-start">
      <FileButton onChange={(file) => file !== null && sending.mutate(file)}>
        {(button) => (
          <Button {...button} loading={sending.isPending} leftSection={<Icon name="plus" size={16} />}>
            {prefix === '' ? 'Upload a file' : `Upload into ${prefix}`}
          </Button>
        )}
      </FileButton>
      {sending.isPending && (
        <Progress w="100%" value={share} animated={share === 0} aria-label={`Uploading ${sending.variables.name}`} />
      )}
      <Failure error={sending.error} />
    </Stack>
  );
}

function Folder({ prefix }: { readonly prefix: string }) {
  const { organization, project } = useCurrentProject();
  const refusal = useRefusal(project.id, MANAGERS);
  const query = useInfiniteQuery(files(project.id, prefix));
  const params = { organization: organization.slug, project: project.slug };
  const pages = query.data?.pages;
  const rows = pages?.flatMap(({ prefixes, items }) => [...prefixes, ...items]);
  return (
    <>
      <Path prefix={prefix} />
      <Listed
        query={{ data: rows, error: query.error }}
        empty={
          <Empty
            title={prefix === '' ? 'No file yet' : 'Nothing in this folder'}
            about="Upload one here, or let a program send it: POST /v1/core/objects. A name such as reports/2026.csv makes the folder."
          />
        }
      >
        {(items) => (
          <Rows label="Files" columns={['Name', 'Size', 'Kind', 'Changed', null]} minWidth={680}>
            {items.map((each) =>
              typeof each === 'string' ? (
                <Table.Tr key={each}>
                  <Cell column="Name" colSpan={5}>
                    <LinkAnchor
                      to="/o/$organization/p/$project/files"
                      params={params}
                      search={{ prefix: each }}
                      size="sm"
                      underline="always"
                    >
                      {each.slice(prefix.length)}
                    </LinkAnchor>
                  </Cell>
                </Table.Tr>
              ) : (
                <FileRow key={each.id} file={each} prefix={prefix} refusal={refusal} />
              ),
            )}
          </Rows>
        )}
      </Listed>
      <More query={query} />
    </>
  );
}

function Path({ prefix }: { readonly prefix: string }) {
  const { organization, project } = useCurrentProject();
  const params = { organization: organization.slug, project: project.slug };
  const names = prefix.split('/').filter((name) => name !== '');
  if (names.length === 0) return null;
  return (
    <Breadcrumbs component="nav" aria-label="Folders">
      <LinkAnchor to="/o/$organization/p/$project/files" params={params} search={{}}>
        All files
      </LinkAnchor>
      {names.map((name, index) => (
        <LinkAnchor
          key={index}
          to="/o/$organization/p/$project/files"
          params={params}
          search={{ prefix: `${names.slice(0, index + 1).join('/')}/` }}
        >
          {name}
        </LinkAnchor>
      ))}
    </Breadcrumbs>
  );
}

interface RowProps {
  readonly file: Kept;
  readonly prefix: string;
  readonly refusal: string | undefined;
}

function FileRow({ file, prefix, refusal }: RowProps) {
  const readAnew = useFilesRead();
  const { id: object_id, key } = file;
  const name = key.slice(prefix.length);
  const download = useMutation({
    mutationFn: async () => {
      const { download_url } = await api.getObject({ path: { object_id }, query: { disposition: 'attachment' } });
      if (download_url !== null) location.assign(download_url);
    },
  });
  const remove = async () => {
    await api.deleteObject({ path: { object_id } });
    await readAnew();
  };
  return (
    <Table.Tr>
      <Cell column="Name">
        <Anchor component="button" type="button" size="sm" ta="start" onClick={() => download.mutate()} title={key}>
          {name}
        </Anchor>
        <Failure error={download.error} />
      </Cell>
      <Cell column="Size" className="numbers" style={{ whiteSpace: 'nowrap' }}>
        {sizeOf(file.size)}
      </Cell>
      <Cell column="Kind">
        <Text size="sm" truncate maw={180}>
          {file.content_type}
        </Text>
      </Cell>
      <Cell column="Changed">
        <Moment at={file.updated_at} />
      </Cell>
      <Table.Td>
        <Group gap={4} justify="flex-end" wrap="nowrap">
          <Button
            size="xs"
            variant="subtle"
            loading={download.isPending}
            aria-label={`Download ${name}`}
            onClick={() => download.mutate()}
          >
            Download
          </Button>
          <Removal verb="Delete" refusal={refusal} name={name} title="Delete the file" act={remove}>
            <b>{key}</b> is gone for good, and addresses to it open nothing any more.
          </Removal>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}
