/** The command line's entry. */
import { basename } from "node:path";
import { processIo } from "./io.ts";
import { run } from "./run.ts";

const [, program = "", ...words] = process.argv;
/** kubectl asks a program of this name what may follow in `kubectl lockstep ...`. */
const isAskedByKubectl = basename(program).startsWith("kubectl_complete-lockstep");
process.exitCode = await run(
  isAskedByKubectl ? ["__complete", "--kubectl", "--", ...words] : words,
  processIo(),
);
