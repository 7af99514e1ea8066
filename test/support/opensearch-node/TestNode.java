import org.codelibs.opensearch.runner.OpenSearchRunner;

/** Runs a node of OpenSearch until its standard input ends. Arguments: a folder, then settings as NAME=VALUE. */
public class TestNode {
  public static void main(String[] args) throws Exception {
    OpenSearchRunner runner = new OpenSearchRunner();
    runner.onBuild((number, settings) -> {
      for (int at = 1; at < args.length; at++) {
        String[] setting = args[at].split("=", 2);
        if (setting[1].contains(",")) settings.putList(setting[0], setting[1].split(","));
        else settings.put(setting[0], setting[1]);
      }
    });
    runner.build(OpenSearchRunner.newConfigs().basePath(args[0]).numOfNode(1)
      .pluginTypes("org.opensearch.knn.plugin.KNNPlugin").useLogger());
    while (System.in.read() >= 0) {}
    System.exit(0);
  }
}
