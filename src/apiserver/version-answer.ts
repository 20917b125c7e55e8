/** The answer of /version. */

export const kubernetesVersion = { major: "1", minor: "36", gitVersion: "v1.36.3-lockstep" };

export function versionAnswer(): unknown {
  return {
    ...kubernetesVersion,
    emulationMajor: "1",
    emulationMinor: "36",
    minCompatibilityMajor: "1",
    minCompatibilityMinor: "35",
    gitCommit: "",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "none",
    compiler: "none",
    platform: `${process.platform}/${process.arch}`,
  };
}
