import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/**
 * Keeps the parameters of a mailed link and removes them from the address at once. In the address they would stay in
 * the history and in links that people copy.
 */
export function useMailedToken<Search extends { readonly token?: string | undefined }>(search: Search): Search {
  const router = useRouter();
  const [kept] = useState(search);
  useEffect(() => {
    if (kept.token !== undefined) void router.navigate({ to: '.', search: {}, replace: true });
  }, [kept, router]);
  return kept;
}
