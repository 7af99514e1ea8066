package org.opensearch.protobufs;

/** Part of the same transport. */
public final class QueryContainer {
  public enum QueryContainerCase { KNN }
}
