import { Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { sources } from '../../api/owning.js';
import { Act } from '../../parts/act.js';
import { Failure } from '../../parts/failures.js';

const NAME = 'Web page';

interface Props {
  readonly projectId: string;
  readonly refusal: string | undefined;
  readonly onMade: (key: string) => void;
}

/** Makes a source with a key that web pages may contain. */
export function MakeBrowserKey({ projectId, refusal, onMade }: Props) {
  const queries = useQueryClient();
  const [site, setSite] = useState('');
  const making = useMutation({
    mutationFn: async () => {
      // The source of an attempt that made no key is used again.
      const known = await queries.query({ ...sources(projectId), staleTime: 0 });
      const source =
        known.find(({ name }) => name === NAME) ??
        (await api.createIngestSource({ body: { project_id: projectId, name: NAME } }));
      const { key } = await api.createBrowserKey({
        path: { source_id: source.id },
        body: { name: 'First steps', allowed_origins: [site.trim()] },
      });
      onMade(key);
      await queries.invalidateQueries({ queryKey: sources(projectId).queryKey });
    },
  });
  return (
    <Stack gap="xs">
      <Text size="sm">
        A web page takes a browser key, which everybody may read: it only writes, and only from the site that you name.
        It belongs to a source, which is made with it.
      </Text>
      <Group align="flex-end" gap="sm">
        <TextInput
          label="Site"
          placeholder="https://shop.example.com"
          value={site}
          onChange={(event) => setSite(event.currentTarget.value)}
        />
        <Act
          refusal={refusal ?? (site.trim() === '' ? 'Name the site first' : undefined)}
          loading={making.isPending}
          onAct={() => making.mutate()}
        >
          Make a browser key
        </Act>
      </Group>
      <Failure error={making.error} />
    </Stack>
  );
}
