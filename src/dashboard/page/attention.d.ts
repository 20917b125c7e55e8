/** What tests use of the page. */
interface Item {
  readonly leftSince?: string | undefined;
}

export declare function attentionText(stuck: readonly Item[]): string;
